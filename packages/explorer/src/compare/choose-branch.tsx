import { Combobox } from '@base-ui/react/combobox';
import type { Branch } from '@parley/client';
import { ChevronDown, GitBranch } from 'lucide-react';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { useLabeled } from '../branch-labels/use-branch-labels.js';
import { counted } from '../words.js';

/** The number of branches that the list shows; the others are found by their names. */
const MAX_LISTED = 50;

interface Choice {
  headId: string;
  name: string;
  label: string;
}

interface ChooseBranchProps {
  label: string;
  branches: readonly Branch[];
  /** The end of the shown path. */
  headId: string;
  onChoose(headId: string): void;
}

/** A field that finds a branch by its name. */
export function ChooseBranch({ label, branches: unlabeled, headId, onChoose }: ChooseBranchProps): ReactNode {
  const id = useId();
  const branches = useLabeled(unlabeled);
  const choices = useMemo(
    () =>
      branches.flatMap(({ name, label: its, headId: head }): Choice[] =>
        head === null ? [] : [{ headId: head, name, label: its }],
      ),
    [branches],
  );
  /** The address does not tell branches with the same head apart. */
  const [named, setNamed] = useState<string | null>(null);
  const shown = choices.filter((choice) => choice.headId === headId);
  const chosen = shown.find(({ name }) => name === named) ?? shown[0] ?? { headId, name: '', label: 'This version' };
  return (
    <Combobox.Root
      items={choices}
      value={chosen}
      onValueChange={(choice) => {
        setNamed(choice?.name ?? null);
        if (choice !== null) onChoose(choice.headId);
      }}
      itemToStringLabel={labelOf}
      isItemEqualToValue={(one, other) => one.headId === other.headId && one.name === other.name}
      filter={isMatch}
      limit={MAX_LISTED}
      autoHighlight
    >
      <div className="choice">
        <span id={id}>{label}</span>
        <Combobox.Trigger
          className="choice-field row"
          aria-labelledby={`${id} ${id}-chosen`}
          title={chosen.name || undefined}
        >
          <GitBranch aria-hidden />
          <span id={`${id}-chosen`} dir="auto" className="ellipsis">
            {chosen.label}
          </span>
          <ChevronDown aria-hidden />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner className="layer" sideOffset={4} align="start">
          <Combobox.Popup className="menu panel popup choice-list" aria-label={`Branches for ${label.toLowerCase()}`}>
            <Combobox.Input aria-label="Name of the branch" placeholder="Find a branch" />
            <Combobox.Empty>No branch has this name.</Combobox.Empty>
            <Combobox.List aria-label={`Branches for ${label.toLowerCase()}`}>
              {(choice: Choice) => (
                <Combobox.Item
                  key={`${choice.headId} ${choice.name}`}
                  value={choice}
                  className="menu-item row"
                  title={choice.name}
                >
                  <GitBranch aria-hidden />
                  <span dir="auto" className="ellipsis">
                    {choice.label}
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
            {choices.length > MAX_LISTED && (
              <p className="menu-label">Type a name to find more of {counted(choices.length, 'branch', 'branches')}</p>
            )}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

const labelOf = ({ label }: Choice): string => label;

/** Branches are found by their labels and their names. */
const isMatch = ({ label, name }: Choice, query: string): boolean =>
  [label, name].some((text) => text.toLowerCase().includes(query.trim().toLowerCase()));
