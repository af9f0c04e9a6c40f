// What the programs that we start learn of our environment. Plain JavaScript, as set-up is.

/** What a program of Node needs anywhere. @type {readonly string[]} */
const COMMON = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'NODE_ENV',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
]

/**
 * These alone, and those that are named: so no secret is handed on because nobody thought of its
 * name.
 * @param {readonly string[]} [own] @returns {NodeJS.ProcessEnv}
 */
export function inherited(own = []) {
  const names = [...COMMON, ...own].filter((name) => process.env[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}
