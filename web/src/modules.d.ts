declare module '@core/asperity.mjs' {
  const create: (options: object) => Promise<Record<string, any>>;
  export default create;
}
declare module '@core/asperity.wasm?url' {
  const url: string;
  export default url;
}
declare module 'repository:*' {
  const texts: Record<string, string>;
  export default texts;
}
