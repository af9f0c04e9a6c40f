/** The assets of the workspace: how many decimals their amounts have. */
import type { DataOf } from '@kontor/client'
import { createContext, useContext, useMemo } from 'react'
import type { ReactNode } from 'react'
import { useGet } from './query.ts'

export type Asset = DataOf<'get', '/assets'>[number]
export type Assets = ReadonlyMap<string, Asset>

const NONE: Assets = new Map()
const AssetsContext = createContext<Assets>(NONE)

/** Once, around everything that shows amounts: no amount asks for itself. */
export function AssetsProvider({ children }: { children: ReactNode }): ReactNode {
  const { data } = useGet('/assets')
  const assets = useMemo(() => new Map(data?.map((asset) => [asset.code, asset])), [data])
  return <AssetsContext value={assets}>{children}</AssetsContext>
}

/** By code. Empty while they load. */
export function useAssets(): Assets {
  return useContext(AssetsContext)
}
