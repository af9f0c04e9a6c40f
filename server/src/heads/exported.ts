/** Heads in files, as they were exported or taken from a mail. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Compile } from 'typebox/compile'
import { hashOf } from './heads.ts'
import { ExportedHead, Head } from './heads.schema.ts'

export type KeptHead = { head: Head; signed: string; signature: string; hash: string }

const checkHead = Compile(Head)
const checkExported = Compile(ExportedHead)

/** Undefined where the text is no head. */
export function readHead(signed: string): Head | undefined {
  const head = parsed(signed)
  return checkHead.Check(head) ? head : undefined
}

export function readExported(text: string): KeptHead | undefined {
  const value = parsed(text)
  if (!checkExported.Check(value)) return undefined
  const { head, signature } = value
  const signed = JSON.stringify(head)
  return { head, signed, signature, hash: hashOf(signed) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The files that end in .json, in the order of their heads, and those of them that hold none. */
export async function readFolder(
  folder: string,
): Promise<{ kept: KeptHead[]; unreadable: string[] }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  const kept = new Map<string, KeptHead>()
  const unreadable: string[] = []
  for (const name of names) {
    const head = readExported(await readFile(join(folder, name), 'utf8'))
    if (head === undefined) unreadable.push(name)
    else kept.set(head.hash, head)
  }
  const inOrder = [...kept.values()].toSorted(
    (one, other) => one.head.number - other.head.number || one.head.made_at - other.head.made_at,
  )
  return { kept: inOrder, unreadable }
}
