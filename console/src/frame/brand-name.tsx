import type { ReactNode } from 'react'
import { useBrand } from '../api/brand.ts'
import { Logo } from '../parts/logo.tsx'
import { Mark } from './mark.tsx'

/** Characters: a longer name has words that the side bar has no room for in its usual size. */
const LONG = 24

/** Whose Kontor it is, with its logo; Kontor's own where nobody has said. */
export function BrandName({ logo }: { logo: string | undefined }): ReactNode {
  const { name } = useBrand()
  const looks = (name ?? '').length > LONG ? 'brand-text long' : 'brand-text'
  return (
    <>
      {logo === undefined ? <Mark /> : <Logo src={logo} />}{' '}
      <span className={looks}>{name ?? 'Kontor'}</span>
    </>
  )
}
