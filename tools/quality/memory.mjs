// `npm run quality memory`: the memory of a running Kontor, npm and PostgreSQL included, as PSS:
// shared pages are counted once, divided among those who share them. Linux only; of processes of
// another user only root may know.
import { existsSync, readFileSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../setup/setup.mjs'

/** @typedef {{ pid: number, parent: number, command: string, pss_kb: number }} Row */

/**
 * Megabytes that a process has in memory now, shared pages included (proc(5), VmRSS). @param
 * {number} pid
 */
export function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}

/**
 * Every process of the Kontor on `dataDir` with its PSS in kB. @param {string} dataDir @returns
 * {Promise<Row[]>}
 */
export async function measureMemory(dataDir) {
  const lock = join(dataDir, 'kontor.lock')
  if (!existsSync(lock)) throw new Error(`no Kontor runs on ${dataDir}; DATA_DIR names another`)
  const { pid: supervisor } = JSON.parse(await readFile(lock, 'utf8'))
  const postmaster = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').then(
    (text) => Number(text.split('\n')[0]),
    () => 0,
  )
  const processes = await processTable()
  const roots = new Set([supervisor, postmaster])
  // Up to the npm that started it, not to one further up that runs the tests.
  for (
    let up = processes.get(supervisor);
    up !== undefined && /\bnpm (--\S+ \S+ )*start\b|tools\/supervise\/start\.mjs/.test(up.command);
    up = processes.get(up.parent)
  )
    roots.add(up.pid)
  /** @param {number} pid @returns {boolean} */
  const belongs = (pid) => roots.has(pid) || (pid > 1 && belongs(processes.get(pid)?.parent ?? 0))
  const rows = [...processes.values()].filter(({ pid }) => belongs(pid))
  return Promise.all(rows.map(async (row) => ({ ...row, pss_kb: await pssOf(row.pid) })))
}

async function processTable() {
  /** @type {Map<number, { pid: number, parent: number, command: string }>} */
  const table = new Map()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8')
      const command = (await readFile(`/proc/${name}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
      table.set(Number(name), {
        pid: Number(name),
        parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]),
        command,
      })
    } catch (error) {
      unlessGone(error)
    }
  }
  return table
}

/** @param {number} pid */
async function pssOf(pid) {
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return Number(found?.[1] ?? 0)
  } catch (error) {
    unlessGone(error)
    return 0
  }
}

/** Processes come and go while we look. @param {unknown} error */
function unlessGone(error) {
  if (
    !(
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ESRCH')
    )
  )
    throw error
}

if (
  process.argv[1] !== undefined &&
  import.meta.url === pathToFileURL(resolve(process.argv[1])).href
) {
  const rows = await measureMemory(
    resolve(
      process.env['INIT_CWD'] ?? process.cwd(),
      process.env['DATA_DIR'] ?? join(ROOT, 'data'),
    ),
  )
  for (const { pid, command, pss_kb } of rows) {
    console.log(
      `${(pss_kb / 1024).toFixed(1).padStart(8)} MB  ${String(pid).padStart(8)}  ` +
        `${command.slice(0, 90)}`,
    )
  }
  console.log(
    `${(rows.reduce((sum, row) => sum + row.pss_kb, 0) / 1024).toFixed(1).padStart(8)}` +
      ` MB  in ${rows.length} processes`,
  )
}
