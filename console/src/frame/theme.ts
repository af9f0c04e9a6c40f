/**
 * The theme: light, dark, or that of the system. Stored in the browser. styles.css has more
 * colours.
 */
import { theme } from 'antd'
import type { ThemeConfig } from 'antd'
import { useEffect, useSyncExternalStore } from 'react'
import { useBrand } from '../api/brand.ts'
import { tonesOf } from '../parts/accent.ts'
import type { Tones } from '../parts/accent.ts'
import { FONT } from '../parts/font.ts'

export type ThemeChoice = 'light' | 'dark' | 'system'

const KEY = 'kontor.theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
system.addEventListener('change', () => {
  for (const notify of listeners) notify()
})

function choice(): ThemeChoice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify)
  return () => {
    listeners.delete(notify)
  }
}
const isDarkNow = (): boolean => (choice() === 'system' ? system.matches : choice() === 'dark')

export function chooseTheme(next: ThemeChoice): void {
  localStorage.setItem(KEY, next)
  for (const notify of listeners) notify()
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, choice)
}

export function useTheme(): ThemeConfig {
  const dark = useSyncExternalStore(subscribe, isDarkNow)
  const tones = tonesOf(useBrand().accent, dark ? 'dark' : 'light')
  useEffect(() => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
  }, [dark])
  useEffect(() => {
    const { style } = document.documentElement
    for (const [name, colour] of [
      ['--link', tones?.tone],
      ['--chosen', tones?.chosen],
    ] as const)
      if (colour === undefined) style.removeProperty(name)
      else style.setProperty(name, colour)
  }, [tones?.tone, tones?.chosen])
  return {
    algorithm: dark
      ? [theme.darkAlgorithm, theme.compactAlgorithm]
      : [theme.defaultAlgorithm, theme.compactAlgorithm],
    token: {
      colorPrimary: dark ? '#4f9be8' : '#0b57a4',
      colorLink: dark ? '#7fb8f5' : '#0b57a4',
      ...(tones === undefined ? {} : tokensOf(tones)),
      colorError: dark ? '#ff7b75' : '#b42318',
      fontSize: 15,
      borderRadius: 4,
      motion: false,
      fontFamily: FONT,
      ...(dark
        ? {
            colorBgBase: '#12161b',
            colorBgLayout: '#12161b',
            colorBgContainer: '#181d23',
            colorBgElevated: '#1d232a',
            colorBorder: '#46525f',
            colorBorderSecondary: '#2d3640',
            colorTextPlaceholder: '#98a3ae',
            colorTextDescription: '#a3adb8',
            colorTextSecondary: '#b4bdc7',
          }
        : {
            colorTextPlaceholder: '#5d6873',
            colorTextDescription: '#56616d',
            colorTextSecondary: '#4a5560',
          }),
    },
    components: {
      ...(dark
        ? {
            Tabs: {
              itemSelectedColor: tones?.tone ?? '#7fb8f5',
              itemHoverColor: tones?.over ?? '#a5cdf8',
              itemActiveColor: tones?.tone ?? '#7fb8f5',
            },
          }
        : {}),
      Tooltip: { colorBgSpotlight: '#1f2730' },
      Button: dark ? { primaryColor: '#0b1118', colorTextLightSolid: '#0b1118' } : {},
    },
  }
}

/** Where antd would make them lighter, they keep their contrast. */
const tokensOf = ({ tone, over, chosen }: Tones): ThemeConfig['token'] => ({
  colorPrimary: tone,
  colorPrimaryHover: over,
  colorPrimaryActive: over,
  colorLink: tone,
  colorLinkHover: over,
  colorLinkActive: over,
  controlItemBgActive: chosen,
})
