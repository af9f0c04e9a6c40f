/** The release of this program, as in package.json. */
export const VERSION = '0.2.0'
