/** The number of lane colors. */
export const LANE_COLORS = 8;
