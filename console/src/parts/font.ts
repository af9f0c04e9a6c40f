/** As in styles.css. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
