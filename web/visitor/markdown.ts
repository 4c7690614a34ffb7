/* What draws an answer, as a part that is fetched by itself.
 *
 * The bundler cuts what a page and its parts have in common into as many files as there are ways to share it. Each part
 * asks for the page as a whole, so that all of the page is in common to all of them: one file, one request.
 */
import "./Panel";
export { Markdown } from "../components/Markdown";
