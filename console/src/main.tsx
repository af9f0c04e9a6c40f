import { createRoot } from 'react-dom/client'
import { ConfigProvider, Button } from 'antd'
const root = document.getElementById('root')
if (root) createRoot(root).render(<ConfigProvider><Button>hi</Button></ConfigProvider>)
