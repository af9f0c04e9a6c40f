/** The brand as people see it: in both themes, and on paper. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { tonesOf } from '../../parts/accent.ts'
import { Logo, useLogo } from '../../parts/logo.tsx'
import './brand.css'

/** As the setting has it; `logo` may be a new one. */
export type BrandValue = {
  name?: string
  legal_name?: string
  address?: readonly string[]
  contact?: readonly string[]
  accent?: string
  logo?: string
}

/** Which papers do not show. */
const isSvg = (logo = ''): boolean => /^data:image\/svg|\.svg$/.test(logo)

export function BrandShown({ brand }: { brand: BrandValue }): ReactNode {
  const { name = 'Kontor', legal_name, address = [], contact = [], accent, logo } = brand
  const src = useLogo(logo)
  const picture = src === undefined ? null : <Logo src={src} />
  return (
    <div className="brand-shown">
      {(['light', 'dark'] as const).map((theme) => (
        <figure key={theme} className={`brand-page ${theme}`}>
          <strong>
            {picture} {name}
          </strong>
          <BrandTones accent={accent} theme={theme} />
          <figcaption>
            {theme === 'light' ? t('In the light theme') : t('In the dark theme')}
          </figcaption>
        </figure>
      ))}
      <figure className="brand-page paper">
        <strong>
          {isSvg(logo) ? null : picture} {name}
        </strong>
        <hr {...(accent === undefined ? {} : { style: { background: accent } })} />
        <small>
          {[legal_name, ...address, ...contact].filter((line) => line !== undefined).join(' · ')}
        </small>
        <figcaption>{t('On papers')}</figcaption>
      </figure>
    </div>
  )
}

function BrandTones({
  accent,
  theme,
}: {
  accent: string | undefined
  theme: 'light' | 'dark'
}): ReactNode {
  const tones = tonesOf(accent, theme)
  const paper = theme === 'light' ? '#ffffff' : '#0b1118'
  return (
    <span className="brand-tones">
      <span className="brand-link" {...(tones && { style: { color: tones.tone } })}>
        {t('A link')}
      </span>
      <span
        className="brand-button"
        {...(tones && { style: { background: tones.tone, color: paper } })}
      >
        {t('A button')}
      </span>
    </span>
  )
}
