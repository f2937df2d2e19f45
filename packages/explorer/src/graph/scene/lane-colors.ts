/** The number of lane colors; in the graph, the first is reserved for the active path and its lane. */
export const LANE_COLORS = 8;
