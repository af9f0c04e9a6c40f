/** A logo draws, and does nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunk, png, svg } from './logos.testing.ts'
import { faultOfPng } from './png.ts'
import { faultOfSvg } from './svg.ts'

const indexed = (colours: number, clear: number): Buffer =>
  png({
    colour: 3,
    pixels: Buffer.alloc(25 * 12),
    more: Buffer.concat([chunk('PLTE', Buffer.alloc(colours)), chunk('tRNS', Buffer.alloc(clear))]),
  })

const nested = (deep: number): string => '<g>'.repeat(deep) + '</g>'.repeat(deep)

test('a PNG is read to its last pixel', () => {
  for (const right of [png(), indexed(6, 2), png({ colour: 6, pixels: Buffer.alloc(97 * 12) })])
    assert.equal(faultOfPng(right), undefined)
  const damaged = png()
  damaged[45] = (damaged[45] ?? 0) ^ 1
  const more = Buffer.concat([png(), Buffer.from('<script>')])
  const faults = [
    [Buffer.from('<svg/>'), /is not a PNG/],
    [damaged, /damaged/],
    [more, /damaged/],
    [png().subarray(0, 60), /damaged/],
    [png({ pixels: Buffer.alloc(10) }), /damaged/],
    [png({ pixels: Buffer.alloc(2_000_000) }), /damaged/],
    [png({ pixels: Buffer.alloc(73 * 12, 9) }), /damaged/],
    [png({ width: 0 }), /damaged/],
    [png({ colour: 3 }), /damaged/],
    [png({ colour: 5 }), /damaged/],
    [png({ more: chunk('IHDR', Buffer.alloc(13)) }), /part IHDR/],
    [png({ more: chunk('fdAT', Buffer.alloc(9)) }), /part fdAT/],
    [png({ more: chunk('tRNS', Buffer.alloc(7)) }), /damaged/],
    [indexed(3, 2), /damaged/],
    [png({ depth: 16 }), /8 bits a channel/],
    [png({ width: 40_000, pixels: Buffer.alloc(1) }), /40000 × 12 pixels/],
  ] as const
  for (const [content, fault] of faults) assert.match(faultOfPng(content) ?? 'none', fault)
})

test('an SVG draws, and neither runs nor fetches', () => {
  for (const inside of [
    '<circle r="3"/>',
    '<title>a@b: data</title><g id="a" class="x" style="fill:#fff"><path d="M0 0h9v9z"/></g>',
    '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs>' +
      '<rect width="9" height="9" fill="url(#a)"/>',
    '<style>.a{fill:url(#a)}</style><!-- made by hand -->',
    '<text x="1" y="2">B &amp; C</text>',
    nested(40),
  ])
    assert.equal(faultOfSvg(svg(inside)), undefined, inside)
  for (const inside of [
    '<script>alert(1)</script>',
    '<circle r="3" onload="alert(1)"/>',
    '<circle r="3" ONLOAD="alert(1)"/>',
    '<foreignObject><p/></foreignObject>',
    '<a href="https://example.com"><circle r="3"/></a>',
    '<image href="https://example.com/a.png"/>',
    '<use href="https://example.com/a.svg#a"/>',
    '<use xlink:href="data:image/svg+xml;base64,AAAA"/>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<style>@import url(https://example.com/a.css)</style>',
    '<style>.a{fill:url(https://example.com/a)}</style>',
    String.raw`<style>.a{fill:\75rl(https://example.com/a)}</style>`,
    '<rect style="fill:url(https://example.com/a)"/>',
    '<rect fill="&#106;avascript:alert(1)"/>',
    '<style><![CDATA[@import "a"]]></style>',
    '<?xml-stylesheet href="a.css"?>',
    '<circle xmlns="http://www.w3.org/1999/xhtml"/>',
    '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
    '<circle r="3">',
    '<g id="a"/><use href="#a"/>',
    '<symbol id="a"/>',
    nested(60),
    nested(8_000),
    '<constructor/>',
    '<__proto__/>',
    '<prototype/>',
    '<hasOwnProperty/>',
    '<g __proto__="a"/>',
    '<g constructor="a"/>',
  ])
    assert.notEqual(faultOfSvg(svg(inside)), undefined, inside)
  const plain = svg().toString()
  for (const whole of [
    'no picture',
    '',
    '<html xmlns="http://www.w3.org/1999/xhtml" viewBox="0 0 1 1"/>',
    plain.replace('viewBox', 'viewbox'),
    plain + plain,
    `<!DOCTYPE svg [<!ENTITY a "b">]>${plain}`,
    `<?xml version="1.0" encoding="utf-7"?>${plain}`,
    `${plain}\0`,
  ])
    assert.notEqual(faultOfSvg(Buffer.from(whole)), undefined, whole)
  assert.equal(
    faultOfSvg(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${plain}`)),
    undefined,
  )
  assert.notEqual(faultOfSvg(Buffer.from(plain, 'utf16le')), undefined)
})
