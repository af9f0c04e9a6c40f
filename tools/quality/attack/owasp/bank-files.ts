/** Files that a bank may send by mistake, or somebody in its place. */

const HUGE_BYTES = 16_777_216
const DEEP = 20_000

const entity = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`

/** Each entity is ten of the one before. */
const LAUGHS = [
  '<!DOCTYPE x [<!ENTITY a0 "ha">',
  ...Array.from({ length: 9 }, (_, index) => entity(`a${index + 1}`, `a${index}`)),
  ']><x>&a9;</x>',
].join('')

export const ODD_FILES: Readonly<Record<string, string | Buffer>> = {
  empty: '',
  zeros: Buffer.alloc(4_096),
  words: 'not XML at all',
  html: '<!doctype html><html><body>503 Service Unavailable</body></html>',
  half: '<?xml version="1.0"?><Document><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>X',
  laughs: LAUGHS,
  outside: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
  deep: `${'<a>'.repeat(DEEP)}${'</a>'.repeat(DEEP)}`,
  attributes: `<a ${Array.from({ length: DEEP }, (_, index) => `b${index}="1"`).join(' ')}/>`,
  latin: Buffer.from('<?xml version="1.0" encoding="UTF-8"?><a>\xe4\xf6</a>', 'latin1'),
  other: '<Document><BkToCstmrStmt><Stmt><Id>1</Id></Stmt></BkToCstmrStmt></Document>',
  prototype: '<__proto__><constructor>1</constructor></__proto__>',
}

/** Well-formed, and of nothing. */
export const hugeFile = (): string => `<a>${'<b>x</b>'.repeat(HUGE_BYTES >> 3)}</a>`
