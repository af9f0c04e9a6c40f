import { language } from '../language/index.ts'

/** The texts of docs/help: ten lines about each word that a page takes for granted. */
const TEXTS = import.meta.glob('../../../docs/help/{*,de/*}.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

const KEYS = [
  'matching',
  'suspense',
  'transit',
  'rectification',
  'settlement',
  'payments',
  'reconciliation',
  'reconciled-days',
  'periods',
  'customer-wallets',
  'signed-heads',
  'second-factor',
  'general-ledger',
  'valued-positions',
  'execution-quality',
  'proofs',
] as const
export type HelpKey = (typeof KEYS)[number]

const FOLDER = language === 'de' ? 'de/' : ''

/** A title, what it is about, and numbered lines. */
function topicOf(key: HelpKey) {
  const text = TEXTS[`../../../docs/help/${FOLDER}${key}.md`] ?? ''
  const [title = '', says = '', ...lines] = text.split('\n').filter((line) => line !== '')
  return {
    key,
    title: title.replace('# ', ''),
    says,
    lines: lines.map((line) => line.replace(/^\d+\. /, '')),
  }
}

export const HELP = KEYS.map(topicOf)
