// What TypeScript's declarations of the browser lack: newer parts, what editors keep at their elements, and what is there
// on some kinds of rules and effects only, so that code asks for it before it uses it.

interface CSSRule {
  selectorText?: string;
  style?: any;
  cssRules?: CSSRuleList;
  styleSheet?: CSSStyleSheet | null;
  media?: MediaList;
}

interface AnimationEffect {
  target?: Element | null;
  getKeyframes?(): object[];
}

interface ShadowRoot {
  getSelection(): Selection | null;
}

interface Element {
  editContext?: { text: string; updateSelection(start: number, end: number): void } | null;
  CodeMirror?: any;
  env?: any;
  cmTile?: any;
  cmView?: any;
}

interface CSSStyleDeclaration {
  interactivity: string;
}

interface Window {
  navigation?: { transition: object | null };
  monaco?: any;
}
