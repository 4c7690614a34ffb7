// Checks an answer against /openapi.json: the part of JSON Schema that Docent's description uses.
// Stricter than JSON Schema in one thing: a member that the schema does not name is a failure.

const TIME = /^\d{4}-(0[1-9]|1[0-2])-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const fits = {
  null: (v) => v === null,
  boolean: (v) => typeof v === "boolean",
  string: (v) => typeof v === "string",
  number: (v) => typeof v === "number",
  integer: (v) => Number.isInteger(v),
  array: (v) => Array.isArray(v),
  object: (v) => kindOf(v) === "object",
};

const KNOWN = new Set([
  "type",
  "properties",
  "required",
  "items",
  "$ref",
  "anyOf",
  "format",
  "enum",
  "const",
  "description",
  "minimum",
  "maximum",
  "maxLength",
  "minLength",
  "default",
  "maxItems",
  "additionalProperties",
  "nullable",
]);

const [JSON_TYPE, SCIM] = ["application/json", "application/scim+json"];

export class Description {
  constructor(openapi) {
    this.openapi = openapi;
    this.operations = [];
    for (const [path, item] of Object.entries(openapi.paths))
      for (const [method, operation] of Object.entries(item)) {
        const pattern = path
          .split("/")
          .map((s) => (s.startsWith("{") ? "([^/]+)" : s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
          .join("/");
        this.operations.push({
          method: method.toUpperCase(),
          path,
          operation,
          match: new RegExp(`^${pattern}$`),
          literals: path.split("/").filter((s) => !s.startsWith("{")).length,
        });
      }
    // A literal segment wins over a variable one, as in the router.
    this.operations.sort((a, b) => b.literals - a.literals);
  }

  find(method, path) {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.operations.find((o) => o.method === wanted && o.match.test(path));
  }

  /** Fails with every difference named. */
  check(method, path, reply) {
    const found = this.find(method, path);
    const where = `${method} ${path} -> ${reply.status}`;
    if (method === "OPTIONS") return;
    if (!found) {
      if (![400, 401, 404, 405].includes(reply.status)) throw new Error(`${where}: no such route, yet that status`);
      const scim = path.startsWith("/scim/v2/");
      const name = `#/components/schemas/${scim ? "ScimError" : "Error"}`;
      this.#body(where, { $ref: name }, reply, method, scim ? SCIM : JSON_TYPE);
      return;
    }
    const documented = found.operation.responses[String(reply.status)];
    if (!documented)
      throw new Error(`${where}: the status is not documented; the body was ${reply.text.slice(0, 300)}`);
    const type = (reply.headers["content-type"] ?? "").split(";")[0];
    if (reply.status < 300 && type === "text/event-stream") return; // the stream's own stories check it
    const { [type]: other, "application/json": json, [SCIM]: scim } = documented.content ?? {};
    if (scim?.schema) return this.#body(where, scim.schema, reply, method, SCIM);
    const schema = json?.schema;
    if (schema && (other === json || !other)) this.#body(where, schema, reply, method);
  }

  #body(where, schema, reply, method, type = JSON_TYPE) {
    if (reply.headers["content-type"] !== type)
      throw new Error(`${where}: content-type is ${reply.headers["content-type"]}, not ${type}`);
    if (method === "HEAD") return;
    let json;
    try {
      json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(reply.bytes));
    } catch (error) {
      throw new Error(`${where}: the body is not JSON in UTF-8 (${error.message}): ${reply.text.slice(0, 300)}`);
    }
    const wrong = this.differences(schema, json, "body");
    if (wrong.length)
      throw new Error(
        `${where}: the body differs from its schema:\n  ${wrong.join("\n  ")}\n${reply.text.slice(0, 600)}`,
      );
  }

  resolve(schema) {
    while (schema.$ref) {
      const name = schema.$ref.replace("#/components/schemas/", "");
      schema = this.openapi.components.schemas[name];
      if (!schema) throw new Error(`the description refers to ${name}, which it does not hold`);
    }
    return schema;
  }

  differences(schema, value, at) {
    for (const word of Object.keys(schema))
      if (!KNOWN.has(word)) throw new Error(`the validator does not know the word ${word}`);
    schema = this.resolve(schema);
    if (schema.anyOf) {
      const tries = schema.anyOf.map((s) => this.differences(s, value, at));
      return tries.some((wrong) => wrong.length === 0) ? [] : tries[0];
    }
    const types = schema.type === undefined ? null : [].concat(schema.type);
    if (types && !types.some((type) => fits[type](value)))
      return [`${at} is ${kindOf(value)}, not ${types.join(" or ")}`];
    const wrong = [];
    if (schema.enum && !schema.enum.includes(value))
      wrong.push(`${at} is ${JSON.stringify(value)}, not one of ${schema.enum.join(", ")}`);
    if (schema.format === "date-time" && value !== null && !TIME.test(value))
      wrong.push(`${at} is ${value}, not a time with six digits`);
    if (Array.isArray(value) && schema.items)
      value.forEach((item, i) => wrong.push(...this.differences(schema.items, item, `${at}[${i}]`)));
    if (kindOf(value) === "object" && schema.properties) {
      for (const name of schema.required ?? []) if (!(name in value)) wrong.push(`${at}.${name} is missing`);
      for (const [name, member] of Object.entries(value)) {
        const its = Object.hasOwn(schema.properties, name) ? schema.properties[name] : null;
        if (its) wrong.push(...this.differences(its, member, `${at}.${name}`));
        else wrong.push(`${at}.${name} is not documented`);
      }
    }
    return wrong;
  }
}
