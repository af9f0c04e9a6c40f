/**
 * The colour of a brand as it can be read: darker in the light theme and lighter in the dark one,
 * until it has the contrast of WCAG AA against everything that it stands on.
 */
type Rgb = readonly [number, number, number]

/** The tones of a theme. `over`: of what the pointer is on. */
export type Tones = { tone: string; over: string; chosen: string }

/** WCAG 2.2, 1.4.3: text of any size. */
export const ENOUGH_CONTRAST = 4.5
const STEPS = 50
/** How much of the colour is in a chosen row, at most. */
const CHOSEN_SHARES = [0.2, 0.17, 0.14, 0.11, 0.08, 0.05, 0]
const WHITE = '#ffffff'
const BLACK = '#000000'

/** What links stand on, and the faintest text beside them, as in styles.css and frame/theme.ts. */
const THEMES = {
  light: { grounds: [WHITE, '#f4f6f8', '#eef3f8'], sheet: WHITE, soft: '#56616d', toward: BLACK },
  dark: {
    grounds: ['#0b1118', '#12161b', '#181d23', '#1d232a', '#202832'],
    sheet: '#181d23',
    soft: '#a3adb8',
    toward: WHITE,
  },
} as const

const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** Undefined for what is no colour. */
export function tonesOf(
  accent: string | null | undefined,
  theme: keyof typeof THEMES,
): Tones | undefined {
  if (accent === null || accent === undefined || !isColour(accent)) return undefined
  const { grounds, sheet, soft, toward } = THEMES[theme]
  const chosen = CHOSEN_SHARES.map((share) => mixed(sheet, accent, share)).find(
    (ground) => contrastOf(soft, ground) >= ENOUGH_CONTRAST,
  )
  if (chosen === undefined) return undefined
  for (let step = 0; step <= STEPS; step += 1) {
    const tone = mixed(accent, toward, step / STEPS)
    if ([...grounds, chosen].every((ground) => contrastOf(tone, ground) >= ENOUGH_CONTRAST))
      return { tone, over: mixed(tone, toward, 0.25), chosen }
  }
  return undefined
}

function mixed(from: string, to: string, share: number): string {
  const [a, b] = [rgbOf(from), rgbOf(to)]
  const parts = a.map((part, index) => Math.round(part + ((b[index] ?? 0) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const rgbOf = (colour: string): Rgb => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
]

export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = rgbOf(colour).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
