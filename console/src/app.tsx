export function App() {
  return <h1>Framehold</h1>;
}
