import { AlignLeft, Columns2, GitBranch, GitCompareArrows, History, type LucideIcon } from 'lucide-react';
import type { View } from '../place.js';

export const VIEW_ICONS: Readonly<Record<View, LucideIcon>> = {
  thread: AlignLeft,
  split: Columns2,
  graph: GitBranch,
  compare: GitCompareArrows,
  history: History,
};
