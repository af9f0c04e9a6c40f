import { spawnSync } from 'node:child_process'
import { chown, lstat, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * How a program of PostgreSQL is started: words before its name, or another user, and who must own
 * its files.
 */
export type RunAs = { prefix: string[]; uid?: number; gid?: number; owner: number }

type User = { uid: number; gid: number }

/**
 * PostgreSQL refuses to run as root. Root runs it as `postgres` or `nobody` where that user reaches
 * program and data. Below a closed folder it runs in a user namespace, in which root is nobody; and
 * where a container forbids those, as that user with the right to pass closed folders.
 *
 * Throws an Error that says what to do when none works.
 * @param dir the folder that will hold the data; it exists
 * @param program the path of `postgres`
 */
export async function chooseUser(dir: string, program: string): Promise<RunAs> {
  const me = process.getuid?.()
  if (me !== 0) return { prefix: [], owner: me ?? -1 }
  const user = await ordinaryUser()
  if ((await canReach(user, dir)) && canRun({ prefix: [], ...user, owner: user.uid }, program))
    return { prefix: [], ...user, owner: user.uid }
  const namespace: RunAs = { prefix: ['unshare', '--user'], owner: 0 }
  if (canRun(namespace, program)) return namespace
  const privileged: RunAs = {
    prefix: [
      'setpriv',
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      '--inh-caps=-all,+dac_override',
      '--ambient-caps=+dac_override',
      '--securebits=+no_setuid_fixup',
      '--no-new-privs',
    ],
    owner: user.uid,
  }
  if (canRun(privileged, program)) return privileged
  throw new Error(
    `PostgreSQL does not run as root, and no other user reaches ${dir}. ` +
      'Start Kontor as an ordinary user, or put it and DATA_DIR below folders that others may ' +
      'pass, or set DATABASE_URL.',
  )
}

async function ordinaryUser(): Promise<User> {
  const users = new Map<string, User>()
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name !== undefined && Number(uid) > 0)
      users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  return users.get('postgres') ?? users.get('nobody') ?? { uid: 65534, gid: 65534 }
}

async function canReach(user: User, dir: string): Promise<boolean> {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (!mayPass(user, await stat(folder))) return false
    if (folder === dirname(folder)) return true
  }
}

function mayPass(user: User, { uid, gid, mode }: { uid: number; gid: number; mode: number }) {
  if (uid === user.uid) return (mode & 0o100) !== 0
  return (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0
}

function canRun(as: RunAs, program: string): boolean {
  const [command, args] = commandOf(as, program, ['--version'])
  return spawnSync(command, args, { ...userOf(as), stdio: 'ignore', cwd: '/' }).status === 0
}

/** Command and arguments for `spawn`, the words that change the user in front. */
export function commandOf(as: RunAs, program: string, args: string[]): [string, string[]] {
  const [first, ...rest] = as.prefix
  return first === undefined ? [program, args] : [first, [...rest, program, ...args]]
}

/** The uid and gid options for `spawn`. */
export function userOf(as: RunAs): { uid?: number; gid?: number } {
  return as.uid === undefined || as.gid === undefined ? {} : { uid: as.uid, gid: as.gid }
}

/**
 * Gives a folder, with all that it holds, to the user that PostgreSQL runs as. Does nothing unless
 * root runs it, and the folder is another user's.
 */
export async function changeOwner(as: RunAs, path: string): Promise<void> {
  if (process.getuid?.() !== 0 || (await stat(path)).uid === as.owner) return
  // The folder itself comes last: by its owner the next start knows that all the rest was done.
  for (const name of await readdir(path, { recursive: true }))
    await changeOwnerOf(join(path, name), as.owner)
  await changeOwnerOf(path, as.owner)
}

async function changeOwnerOf(path: string, owner: number): Promise<void> {
  const { uid, gid } = await lstat(path)
  if (uid !== owner) await chown(path, owner, gid)
}
