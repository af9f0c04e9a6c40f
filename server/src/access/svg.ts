/**
 * Whether a file is an SVG that only draws. It is shown as a picture and never as part of a page;
 * still it must not hold anything that runs, or that is fetched from elsewhere.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** Without `use` and `symbol`: a few that name each other draw a thousand million shapes. */
const ELEMENTS = new Set(
  (
    'svg g defs title desc path rect circle ellipse line polyline polygon text tspan style ' +
    'linearGradient radialGradient stop clipPath mask'
  ).split(' '),
)
const NAMESPACES = new Map([
  ['xmlns', 'http://www.w3.org/2000/svg'],
  ['xmlns:xlink', 'http://www.w3.org/1999/xlink'],
])
const LINKS = new Set(['href', 'xlink:href'])
const ATTRIBUTE = /^(?!on)([a-z][a-z0-9-]*|xml:space)$/i
/** Outside of `url(#…)`: what fetches something, and what could hide that. */
const REACHING = /url\((?!\s*["']?#)|@|\\|image-set|image\(|expression|javascript:|data:/i
const PROLOGUE = /^\uFEFF?\s*<\?xml[^?]*\?>/
/** Entities of its own, types of documents, CDATA, instructions. */
const SPECIAL = /<!(?!--)|<\?|&(?!(amp|lt|gt|quot|apos);)/
const OTHER_ENCODING = /encoding\s*=\s*["'](?!utf-8["'])/i

const MAXIMUM_DEPTH = 50

const parser = new XMLParser({
  maxNestedTags: MAXIMUM_DEPTH,
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
})

type Node = Readonly<Record<string, unknown>>

/** What is wrong with it, in words that follow its name. */
export function faultOfSvg(content: Buffer): string | undefined {
  const text = textOf(content)
  if (text === undefined || OTHER_ENCODING.test(PROLOGUE.exec(text)?.[0] ?? ''))
    return 'is not an SVG in UTF-8'
  const body = text.replace(PROLOGUE, '')
  if (SPECIAL.test(body))
    return 'has a document type, entities or instructions, which a logo must not have'
  if (XMLValidator.validate(body) !== true) return 'is not an SVG'
  const nodes = nodesOf(body)
  if (nodes === undefined) return 'is nested too deep, or has a name that is reserved'
  const roots = nodes.filter((node) => !Object.hasOwn(node, '#text'))
  const [root] = roots
  if (root === undefined || roots.length > 1 || !Object.hasOwn(root, 'svg')) return 'is not an SVG'
  const { xmlns, viewBox } = attributesOf(root)
  if (xmlns === undefined || viewBox === undefined) return 'is an SVG without xmlns or viewBox'
  return faultOfNode(root)
}

/** Undefined for what is no text. */
function textOf(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Undefined for what the parser refuses: a deeper one, and names such as `__proto__`. */
function nodesOf(body: string): Node[] | undefined {
  try {
    return parser.parse(body) as Node[]
  } catch {
    return undefined
  }
}

const attributesOf = (node: Node): Readonly<Record<string, string>> =>
  (node[':@'] as Record<string, string> | undefined) ?? {}

function faultOfNode(node: Node): string | undefined {
  const [name = ''] = Object.keys(node).filter((key) => key !== ':@')
  if (name === '#text') return undefined
  if (!ELEMENTS.has(name)) return `has the element ${name.slice(0, 50)}, which a logo must not have`
  for (const [attribute, value] of Object.entries(attributesOf(node))) {
    const fault = faultOfAttribute(attribute, value)
    if (fault !== undefined) return fault
  }
  const children = node[name] as Node[]
  if (name === 'style' && children.some((child) => REACHING.test(String(child['#text'] ?? ''))))
    return 'has styles that reach beyond it'
  for (const child of children) {
    const fault = faultOfNode(child)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfAttribute(name: string, value: string): string | undefined {
  const namespace = NAMESPACES.get(name)
  if (namespace !== undefined)
    return value === namespace ? undefined : `has a ${name} other than ${namespace}`
  if (LINKS.has(name))
    return value.startsWith('#') ? undefined : `has a link (${name}) beyond the file`
  if (!ATTRIBUTE.test(name))
    return `has the attribute ${name.slice(0, 50)}, which a logo must not have`
  return REACHING.test(value) ? `has a value of ${name} that reaches beyond it` : undefined
}
