/**
 * Which process of which machine something belongs to, as text that another process of the same
 * machine can check. On Linux: processes see each other there who share the boot, the namespace of
 * process ids and the user.
 */
import { readlinkSync } from 'node:fs'
import { identify } from '../../core/file-lock.mjs'

type Trace = { pid: number; born: string; among: string }

/** undefined where the system does not tell processes apart. */
export function traceOf(pid: number): string | undefined {
  const among = surroundings()
  const process = among === undefined ? undefined : identify(pid)
  return process === undefined ? undefined : JSON.stringify({ ...process, among })
}

/** Only when it is certain: of a process elsewhere nothing is known. */
export function hasEnded(trace: string): boolean {
  const { among, pid, born } = JSON.parse(trace) as Trace
  if (among !== surroundings()) return false
  const now = identify(pid)
  return now === undefined ? isGone(pid) : now.born !== born
}

/** Systems may hide processes (hidepid), but tell whether a signal would reach one. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Who shares them sees this process. */
function surroundings(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const [boot] = identify(process.pid)?.born.split('/') ?? []
  return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${process.getuid?.()}`
}
