import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrastOf, ENOUGH_CONTRAST, tonesOf } from './accent.ts'

const GROUNDS = {
  light: ['#ffffff', '#f4f6f8', '#eef3f8'],
  dark: ['#0b1118', '#12161b', '#181d23', '#1d232a', '#202832'],
} as const
const SOFT = { light: '#56616d', dark: '#a3adb8' } as const
const STEPS = [0, 51, 102, 128, 153, 204, 255].map((part) => part.toString(16).padStart(2, '0'))

test('every colour gets tones that can be read, in both themes', () => {
  for (const red of STEPS)
    for (const green of STEPS)
      for (const blue of STEPS)
        for (const theme of ['light', 'dark'] as const) {
          const accent = `#${red}${green}${blue}`
          const tones = tonesOf(accent, theme)
          assert.ok(tones !== undefined, `${accent} ${theme}`)
          for (const tone of [tones.tone, tones.over])
            for (const ground of [...GROUNDS[theme], tones.chosen])
              assert.ok(
                contrastOf(tone, ground) >= ENOUGH_CONTRAST,
                `${accent} ${theme}: ${tone} on ${ground}`,
              )
          assert.ok(contrastOf(SOFT[theme], tones.chosen) >= ENOUGH_CONTRAST, `${accent} ${theme}`)
        }
})

test('a colour that can be read stays as it is, and what is none has no tones', () => {
  assert.equal(tonesOf('#0b57a4', 'light')?.tone, '#0b57a4')
  assert.equal(contrastOf('#000000', '#ffffff'), 21)
  for (const wrong of ['', 'red', '#12345', '#12345g', null, undefined])
    assert.equal(tonesOf(wrong, 'light'), undefined)
})
