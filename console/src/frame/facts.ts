/** What the service says of itself to everybody, in the page. */
type PageFacts = { version?: string; sandbox?: boolean; documents?: boolean }

export function pageFacts(): PageFacts {
  const text = document.querySelector('meta[name=kontor-facts]')?.getAttribute('content') ?? ''
  return text.startsWith('{') ? (JSON.parse(text) as PageFacts) : {}
}
