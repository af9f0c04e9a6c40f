/**
 * In which order test files begin. Those that run long come first: one that began last would run
 * alone while a core has nothing to do. Browsers keep the cores busy, while tests of processes
 * mostly wait for one that starts, dies or polls: so they take turns. The rest is short.
 */

const BROWSERS = /^console\/testing\//
/** Programs are started and ended, or the outside world takes its time. */
const PROCESSES = /^tools\/|^server\/quality\/|\.(faults|sandbox)\.test\.ts$/

/** @param {readonly string[]} files */
export function inTurns(files) {
  const browsers = files.filter((file) => BROWSERS.test(file))
  const processes = files.filter((file) => PROCESSES.test(file))
  const rest = files.filter((file) => !BROWSERS.test(file) && !PROCESSES.test(file))
  return [...spread(browsers, processes), ...rest]
}

/**
 * Both in their order, evenly mixed. @param {readonly string[]} one @param {readonly string[]}
 * other
 */
function spread(one, other) {
  /** @param {readonly string[]} files */
  const placed = (files) =>
    files.map((file, index) => ({ file, place: (index + 1) / (files.length + 1) }))
  return [...placed(one), ...placed(other)]
    .toSorted((a, b) => a.place - b.place)
    .map(({ file }) => file)
}
