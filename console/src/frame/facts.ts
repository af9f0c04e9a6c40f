/** Simulated venues, real ones for tests, or real money. */
export type Environment = 'sandbox' | 'test' | 'live'

/** What the service says of itself to everybody, in the page. */
type PageFacts = { version?: string; environment?: Environment; documents?: boolean }

export function pageFacts(): PageFacts {
  const text = document.querySelector('meta[name=kontor-facts]')?.getAttribute('content') ?? ''
  return text.startsWith('{') ? (JSON.parse(text) as PageFacts) : {}
}
