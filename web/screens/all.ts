// The screens of an agent that come together: over a distance each request is felt, and they are small.
export { default as Analytics } from "./Analytics";
export { default as Ask } from "./Ask";
export { default as Behaviour } from "./Behaviour";
export { default as Content } from "./Content";
export { default as Conversations } from "./Conversations";
export { default as Labels } from "./Labels";
export { default as Licences } from "./Licences";
export { default as Look } from "./Look";
export { default as Master } from "./Master";
export { default as Persona } from "./Persona";
export { default as Plugin } from "./Plugin";
export { default as Share } from "./Share";
export { default as Agents } from "./Agents";
export { default as Keys } from "./Keys";
export { default as Usage } from "./Usage";
export { default as Account } from "./Account";
export { default as System } from "./System";
