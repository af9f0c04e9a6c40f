import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `vite` in this folder serves the sources with reload, and hands /api on to a running Kontor (KONTOR_URL). */
export default defineConfig({
  plugins: [react()],
  html: { cspNonce: '__NONCE__' },
  build: { target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500, reportCompressedSize: false },
  server: { proxy: { '/api': process.env['KONTOR_URL'] ?? 'http://localhost:4000' } },
})
