/** Logos: always as pictures, in which nothing runs. */
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { logoPicture } from '../api/brand.ts'

/** The name beside it says the same, so readers of the screen leave it out. */
export function Logo({ src }: { src: string }): ReactNode {
  return <img className="brand-logo" src={src} alt="" />
}

/** The address of the picture: of a logo that is kept, or of a new one. */
export function useLogo(logo: string | null | undefined): string | undefined {
  const [read, setRead] = useState<{ logo: string; src: string }>()
  useEffect(() => {
    if (logo === null || logo === undefined || logo.startsWith('data:')) return undefined
    let left = false
    logoPicture(logo)
      .then((src) => {
        if (!left) setRead({ logo, src })
      })
      .catch(() => undefined)
    return () => {
      left = true
    }
  }, [logo])
  if (logo?.startsWith('data:') === true) return logo
  return read !== undefined && read.logo === logo ? read.src : undefined
}
