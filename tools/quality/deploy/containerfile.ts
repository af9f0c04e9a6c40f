/** Reads deploy/Containerfile, so that its steps can be checked and run where no engine is. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../setup/setup.mjs'

type Copy = { from: string | undefined; sources: string[]; target: string }
type Step = { copy: Copy } | { run: string }

export type Stage = {
  name: string | undefined
  /** A stage before it, or an image. */
  base: string
  steps: Step[]
}

type Containerfile = {
  stages: Stage[]
  user: string
  environment: Record<string, string>
  ports: number[]
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
}

export function readContainerfile(): Containerfile {
  const text = readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8')
  const read: Containerfile = {
    stages: [],
    user: '',
    environment: {},
    ports: [],
    entrypoint: [],
    command: [],
    healthcheck: [],
  }
  for (const [word, rest] of instructionsIn(text)) readInstruction(read, word, rest)
  return read
}

/** One line each, without comments. */
function instructionsIn(text: string): [word: string, rest: string][] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const end = line.indexOf(' ')
    return [line.slice(0, end), line.slice(end + 1).trim()]
  })
}

function readInstruction(read: Containerfile, word: string, rest: string): void {
  const steps = read.stages.at(-1)?.steps ?? []
  const listIn = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[]
  switch (word) {
    case 'FROM': {
      const [base = '', , name] = rest.split(/\s+/)
      return void read.stages.push({ name, base, steps: [] })
    }
    case 'COPY': {
      const [, from, paths = rest] = /^--from=(\S+) (.*)$/.exec(rest) ?? []
      const sources = paths.split(/\s+/)
      const target = sources.pop() ?? ''
      return void steps.push({ copy: { from, sources, target } })
    }
    case 'RUN':
      return void steps.push({ run: rest })
    case 'USER':
      read.user = rest
      return
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S*)/g))
        read.environment[name] = value
      return
    case 'EXPOSE':
      read.ports = rest.split(' ').map(Number)
      return
    case 'ENTRYPOINT':
      read.entrypoint = listIn(rest)
      return
    case 'CMD':
      read.command = listIn(rest)
      return
    case 'HEALTHCHECK':
      read.healthcheck = listIn(rest)
      return
    default:
      if (!['ARG', 'WORKDIR', 'VOLUME'].includes(word)) throw new Error(`${word} is not understood`)
  }
}

/** What the engine gets of the repository: what is in git and not left out by .dockerignore. */
export function contextFiles(): string[] {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error('git could not list the files')
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(patternOf)
  return stdout
    .split('\0')
    .filter((file) => file !== '' && !ignored.some((pattern) => pattern.test(file)))
}

/** A path, or what lies below it. */
function patternOf(line: string): RegExp {
  const escaped = line.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
  const text = escaped.replaceAll('**/', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${text}(?:/.*)?$`)
}

/** Of these files, what one COPY takes, and where it goes. */
export function filesOf({ sources, target }: Copy, files: readonly string[]): [string, string][] {
  return sources.flatMap((source) =>
    files.flatMap((file): [string, string][] => {
      if (file === source) {
        const isFolder = target.endsWith('/') || sources.length > 1
        return [[file, isFolder ? join(target, file.slice(file.lastIndexOf('/') + 1)) : target]]
      }
      return file.startsWith(`${source}/`) ? [[file, join(target, file.slice(source.length))]] : []
    }),
  )
}
