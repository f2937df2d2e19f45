import type { ReactNode } from 'react';
import { LANE_COLORS } from '../graph/scene/lane-colors.js';
import { chosenChains, INNER, rowsOf, type Chain, type Chains, type MiniNode } from './chains.js';
import './miniature.css';

/** Distances between messages and between rows, and the space around, in pixels. */
const STEP = { x: 13, y: 15 };
const PADDING = 9;
const MAX_RADIUS = 3.6;

interface MiniatureProps {
  chains: Chains;
  /** A text for screen readers; without one, they skip it. */
  label?: string;
  width: number;
  height: number;
  /** The number of messages of each chain that are drawn; all by default. */
  extents?: Int32Array;
  /** The numbers of a later state, for whose chains there is space; `extents` by default. */
  later?: Int32Array;
  /** The messages in colour; all by default. The others are grey. */
  lit?: ReadonlySet<string>;
  /** The message with a ring; null for none. */
  headId?: string | null;
  /** The first depth that is drawn, of a part of the graph; undefined for the whole graph, made to fit. */
  fromDepth?: number;
  /** Chains that are drawn before others. */
  wanted?: readonly number[];
}

/** A graph, small and lying: depth from left to right, a row for each branch. */
export function Miniature(props: MiniatureProps): ReactNode {
  const { chains, label, width, height, extents, later = extents, lit, headId = null, fromDepth, wanted = [] } = props;
  const { list } = chains;
  const first = fromDepth ?? 0;
  const columns = (width - 2 * PADDING) / STEP.x;
  const last = fromDepth === undefined ? Math.max(0, ...list.map(({ to }) => to)) : first + Math.floor(columns);
  const maxRows = Math.floor((height - 2 * PADDING) / (fromDepth === undefined ? 5 : STEP.y)) + 1;
  const drawn = chosenChains(list, wanted, maxRows, [first, last]).filter((n) => later?.[n] !== 0);
  const rows = rowsOf(list, drawn);
  const across = fromDepth === undefined ? Math.min(STEP.x + 4, (width - 2 * PADDING) / Math.max(1, last)) : STEP.x;
  const lastRow = Math.max(0, ...rows.values());
  const down = lastRow === 0 ? STEP.y : Math.min(STEP.y, (height - 2 * PADDING) / lastRow);
  const radius = Math.min(MAX_RADIUS, across * 0.36, down * 0.36);
  const x = (depth: number) => PADDING + Math.max(-1, depth - first) * across;
  const y = (chain: number) => PADDING + (rows.get(chain) ?? 0) * down;
  const tall = 2 * PADDING + lastRow * down;
  const isLit = (id: string) => lit === undefined || lit.has(id);
  const head = headId === null ? undefined : chains.places.get(headId);
  return (
    <svg
      className="miniature"
      width={width}
      height={Math.max(tall, 2 * PADDING)}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {drawn.map((n) => {
        const chain = list[n] as Chain;
        const nodes = chain.nodes.slice(0, extents?.[n]);
        const lane = (chain.color % LANE_COLORS) + 1;
        return (
          <g key={n} data-lane={lane}>
            {nodes.map((node, m) => {
              const before = nodes[m - 1]?.depth ?? (chain.nodes[0] === node ? chain.from : node.depth - 1);
              const up = chain.nodes[0] === node && chain.parent !== -1 ? y(chain.parent) : y(n);
              if (before < 0 || before > last || node.depth < first) return null;
              return (
                <path key={node.id} className={toneOf(isLit(node.id))} d={line(x(before), up, x(node.depth), y(n))} />
              );
            })}
            {head?.chain === n && x(nodes[head.at]?.depth ?? -1) >= PADDING && (
              <circle
                className="mini-head"
                cx={x(chain.nodes[head.at]?.depth ?? 0)}
                cy={y(n)}
                r={radius + Math.min(3.5, radius)}
              />
            )}
            {nodes
              .filter(({ depth }) => depth >= first && depth <= last)
              .map((node) => (
                <Dot
                  key={node.id}
                  node={node}
                  x={x(node.depth)}
                  y={y(n)}
                  radius={radius}
                  isLit={isLit(node.id) || node.id === headId}
                />
              ))}
          </g>
        );
      })}
    </svg>
  );
}

const toneOf = (isLit: boolean) => (isLit ? 'mini-lit' : 'mini-old');

/** A straight line, or one that turns to another row. */
function line(fromX: number, fromY: number, toX: number, toY: number): string {
  if (fromY === toY) return `M${fromX} ${fromY}H${toX}`;
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${toX} ${toY}`;
}

interface DotProps {
  node: MiniNode;
  x: number;
  y: number;
  radius: number;
  isLit: boolean;
}

/** Rings for users, discs for assistants, squares for other roles, as in the graph. */
function Dot({ node: { role }, x, y, radius, isLit }: DotProps): ReactNode {
  // Smaller dots look alike.
  if (radius < 1.2) return null;
  const className = `${toneOf(isLit)} mini-dot`;
  if (role === INNER) return <circle {...{ className }} cx={x} cy={y} r={radius / 2} />;
  if (role === 'user' || role === 'assistant')
    return <circle {...{ className }} data-role={role} cx={x} cy={y} r={radius - (role === 'user' ? 0.5 : 0)} />;
  return <rect {...{ className }} x={x - radius} y={y - radius} width={2 * radius} height={2 * radius} rx="1" />;
}
