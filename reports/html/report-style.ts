/**
 * Inline styles, because many mail clients drop style sheets. Every text has its own background, so that it is
 * readable on any background of the client. `DARK` changes both together if style sheets are kept.
 */
const FONT = "font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif";
const CELL = 'padding:7px 0;border-bottom:1px solid #e3e6ea';
const NUMBER = 'text-align:right;white-space:nowrap;padding-left:12px';
const WRAP = 'overflow-wrap:anywhere;word-break:break-word';

export const STYLE = {
  body: 'margin:0;padding:0;background-color:#eef0f3',
  page: 'width:100%;background-color:#eef0f3',
  column: 'width:100%;max-width:640px;background-color:#ffffff',
  pad: 'padding:0 24px;background-color:#ffffff',
  top: `${FONT};padding:28px 24px 4px;background-color:#ffffff;color:#5b6470;font-size:14px;line-height:20px`,
  h1: `${FONT};margin:0 0 6px;color:#14181d;font-size:22px;line-height:29px;font-weight:600`,
  h2: `${FONT};margin:30px 0 8px;color:#14181d;font-size:16px;line-height:22px;font-weight:600`,
  text: `${FONT};margin:0 0 4px;color:#5b6470;font-size:14px;line-height:20px`,
  notice: `${FONT};margin:14px 0 0;padding:10px 12px;background-color:#fff4d6;color:#5c4300;font-size:14px;line-height:20px;border-left:4px solid #d99a00`,
  figure: `${FONT};width:33%;padding:14px 8px 14px 0;vertical-align:top;color:#5b6470;font-size:13px;line-height:18px`,
  value: `${FONT};display:block;padding:2px 0;color:#14181d;font-size:26px;line-height:32px;font-weight:600;white-space:nowrap`,
  badValue: `${FONT};display:block;padding:2px 0;color:#b3261e;font-size:26px;line-height:32px;font-weight:600;white-space:nowrap`,
  layout: 'width:100%;border-collapse:collapse;background-color:#ffffff',
  table: `${FONT};width:100%;border-collapse:collapse;background-color:#ffffff;color:#14181d;font-size:14px;line-height:20px;font-variant-numeric:tabular-nums`,
  caption: 'text-align:left;color:#5b6470;font-size:13px;line-height:18px;padding:0 0 4px',
  head: `${CELL};text-align:left;color:#5b6470;font-size:13px;vertical-align:bottom`,
  headNumber: `${CELL};text-align:right;padding-left:12px;color:#5b6470;font-size:13px;vertical-align:bottom`,
  name: `${CELL};text-align:left;font-weight:400;${WRAP}`,
  number: `${CELL};${NUMBER}`,
  badNumber: `${CELL};${NUMBER};color:#b3261e;font-weight:600`,
  factName: `${CELL};text-align:left;vertical-align:top;color:#5b6470;font-size:13px;font-weight:400;white-space:nowrap;padding-right:16px`,
  fact: `${CELL};font-size:13px;${WRAP}`,
  end: 'height:32px;font-size:0;line-height:0;background-color:#ffffff',
} as const;

/** For clients that keep style sheets and users who prefer dark colours. Only `!important` overrides inline styles. */
export const DARK = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:#0e1013!important}
.paper{background-color:#191c21!important}
.ink{color:#f1f3f5!important}
.soft{color:#a9b1bb!important}
.bad{color:#ff8a80!important}
.line{border-bottom-color:#343a42!important}
.notice{background-color:#3a2e10!important;color:#ffdf94!important}
.chart text{fill:#a9b1bb}
}
@media (max-width:480px){
.wide{padding-left:16px!important;padding-right:16px!important}
.value{font-size:21px!important;line-height:27px!important}
}`;
