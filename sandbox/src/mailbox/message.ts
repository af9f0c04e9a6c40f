/** Reads what a person would see of a mail (RFC 5322, 2045, 2047): one part of text. */
type Message = { message_id: string; subject: string; text: string }

export function readMessage(source: string): Message {
  const lines = source.replaceAll('\r\n', '\n')
  const end = lines.indexOf('\n\n')
  const head = (end < 0 ? lines : lines.slice(0, end)).replaceAll(/\n[ \t]+/g, ' ')
  const header = (name: string) =>
    head
      .split('\n')
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? ''
  const body = end < 0 ? '' : lines.slice(end + 2)
  return {
    message_id: header('message-id'),
    subject: words(header('subject')),
    text: decode(body, header('content-transfer-encoding').toLowerCase()),
  }
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? octets(body.replaceAll('=\n', '')) : body
}

const octets = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-Fa-f]{2})/g, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  ).toString()

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`; the blank between two of them is no part of the text. */
function words(text: string): string {
  return text
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_whole, kind: string, coded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(coded, 'base64').toString()
        : octets(coded.replaceAll('_', ' ')),
    )
}
