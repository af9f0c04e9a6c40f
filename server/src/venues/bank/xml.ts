/**
 * XML as a tree of elements that know where they stand in the text. Names are without their
 * prefix, texts without the blanks around them. Nothing in a document is special: an element may
 * be called `constructor`, and a character that XML forbids is refused where it is read.
 */
import { XMLValidator } from 'fast-xml-parser'

/** A record, or a whole message, that cannot be understood. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage'
}

export type Element = {
  name: string
  attributes: ReadonlyMap<string, string>
  children: Element[]
  text: string
  /** Where it begins and ends in the document. */
  from: number
  to: number
}

const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const TOKEN = new RegExp(
  [
    String.raw`<!--[^]*?-->|<\?[^]*?\?>`,
    String.raw`<!\[CDATA\[(?<data>[^]*?)\]\]>`,
    String.raw`</(?<end>[^\s>]+)\s*>`,
    String.raw`<(?<start>[^\s/>!?]+)(?<attributes>(?:"[^"]*"|'[^']*'|[^"'<>/])*)(?<empty>/?)>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'gy',
)

/** The outermost element. Throws UnreadableMessage when the text is not well-formed. */
export function parseXml(xml: string): Element {
  if (xml.includes('<!DOCTYPE')) throw new UnreadableMessage('a document type is not allowed')
  const checked = XMLValidator.validate(xml)
  if (checked !== true)
    throw new UnreadableMessage(
      `not well-formed XML: ${checked.err.msg} (line ${checked.err.line})`,
    )
  const document = elementAt('', '', 0)
  const open = [document]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < xml.length) {
    const from = TOKEN.lastIndex
    const groups = TOKEN.exec(xml)?.groups
    const inner = open.at(-1)
    if (groups === undefined || inner === undefined)
      throw new UnreadableMessage('not well-formed XML')
    const { data, end, start, attributes = '', empty, text } = groups
    if (data !== undefined) inner.text += data
    else if (text !== undefined) inner.text += unescape(text)
    else if (end !== undefined) close(open, TOKEN.lastIndex)
    else if (start !== undefined) {
      const element = elementAt(start, attributes, from)
      inner.children.push(element)
      open.push(element)
      if (empty === '/') close(open, TOKEN.lastIndex)
    }
  }
  const [root] = document.children
  if (root === undefined) throw new UnreadableMessage('not well-formed XML: no element')
  return root
}

function elementAt(name: string, attributes: string, from: number): Element {
  return {
    name: withoutPrefix(name),
    attributes: new Map(
      [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', double, single]) => [
        withoutPrefix(key),
        unescape(double ?? single ?? ''),
      ]),
    ),
    children: [],
    text: '',
    from,
    to: from,
  }
}

function close(open: Element[], at: number): void {
  const element = open.pop()
  if (element === undefined) return
  element.to = at
  element.text = element.text.trim()
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])
const LARGEST_CODE_POINT = 0x10_ff_ff

function unescape(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g,
    (whole, decimal, hex, name) => {
      if (typeof name === 'string') return ENTITIES.get(name) ?? whole
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= LARGEST_CODE_POINT ? String.fromCodePoint(code) : whole
    },
  )
}

/** The elements at the end of this path. */
export function all(element: Element | undefined, ...path: string[]): Element[] {
  let found = element === undefined ? [] : [element]
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name))
  return found
}

export function first(element: Element | undefined, ...path: string[]): Element | undefined {
  return all(element, ...path)[0]
}

// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/

/**
 * The first text at the end of this path, null when there is none. Throws UnreadableMessage when
 * it has a character that XML forbids.
 */
export function text(element: Element | undefined, ...path: string[]): string | null {
  const found = first(element, ...path)?.text ?? ''
  if (FORBIDDEN.test(found) || !found.isWellFormed())
    throw new UnreadableMessage(`${path.join('/')} has a character that may not be in a text`)
  return found === '' ? null : found
}

export function required(element: Element | undefined, ...path: string[]): string {
  const found = text(element, ...path)
  if (found === null)
    throw new UnreadableMessage(`${[element?.name, ...path].join('/')} is missing`)
  return found
}

const DECLARED = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/

/** The text of a file, in the encoding that it declares. */
export function decodeXml(bytes: Uint8Array): string {
  const marked = new TextDecoder('utf-8').decode(bytes.subarray(0, 200))
  const encoding = encodingByMark(bytes) ?? DECLARED.exec(marked)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UnreadableMessage(`the encoding ${encoding} is not known`)
  }
}

function encodingByMark([one, two]: Uint8Array): string | undefined {
  if (one === 0xff && two === 0xfe) return 'utf-16le'
  return one === 0xfe && two === 0xff ? 'utf-16be' : undefined
}
