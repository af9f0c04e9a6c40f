/** Runs the code of a guide as a reader would: curl in one shell, JavaScript in one program. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../../setup/setup.mjs'
import type { Block } from './blocks.ts'

const MARK = '--- the next block'
const LIMIT_MILLISECONDS = 300_000

type Track = { program: string; args: string[]; file: string; mark: string }
const TRACKS: Readonly<Record<Block['language'], Track>> = {
  sh: { program: 'sh', args: ['-eu'], file: 'guide.sh', mark: `printf '%s\\n' '${MARK}'\n` },
  js: {
    program: process.execPath,
    // The client as it is in this tree: whoever follows a guide has it packed.
    args: ['--conditions=kontor-source'],
    file: 'guide.mjs',
    mark: `console.log('${MARK}')\n`,
  },
}

type Printed = { block: Block; printed: string }

/** What each block printed, in order. Throws, with all that was said, when the code fails. */
export async function runTrack(
  blocks: readonly Block[],
  language: Block['language'],
  env: NodeJS.ProcessEnv,
): Promise<Printed[]> {
  const { program, args, file, mark } = TRACKS[language]
  const mine = blocks.filter((block) => block.language === language && block.file === undefined)
  if (mine.length === 0) return []
  const folder = await mkdtemp(join(tmpdir(), 'kontor-guide-'))
  try {
    await mkdir(join(folder, 'node_modules/@kontor'), { recursive: true })
    await symlink(join(ROOT, 'client'), join(folder, 'node_modules/@kontor/client'))
    for (const block of blocks)
      if (block.file !== undefined) await writeFile(join(folder, block.file), block.code)
    await writeFile(join(folder, file), mine.map(({ code }) => code + mark).join(''))
    const said = await run(folder, [program, ...args, file], env)
    const outputs = said.split(`${MARK}\n`)
    return mine.map((block, index) => ({ block, printed: outputs[index] ?? '' }))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function run(cwd: string, [program = '', ...args]: string[], env: NodeJS.ProcessEnv) {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const child = spawn(program, args, {
    cwd,
    // Whoever a guide starts in the background ends with it.
    detached: true,
    env: { HOME: cwd, PATH: path, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => end(child.pid), LIMIT_MILLISECONDS)
  let [out, wrong] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text))
  return new Promise<string>((done, fail) => {
    child.once('error', fail).once('exit', () => {
      clearTimeout(timer)
      end(child.pid)
    })
    child.once('close', (code) => {
      if (code === 0) done(out)
      else fail(new Error(`${program} ended with ${code}:\n${out}\n${wrong}`))
    })
  })
}

/** The program's whole group, which may be gone. */
function end(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
