// Files on their way to the service, in requests that it takes.
import { upload } from "./api";

/** The service takes so many files, and about so many bytes, in one request. */
const FILES = 50;
const BYTES = 900 << 20;

export const bytesOf = (files: File[]) => files.reduce((sum, file) => sum + file.size, 0);

/** Cuts the files into portions that fit a request; one that is too large goes alone and is refused. */
export function portions(files: File[]): File[][] {
  const all: File[][] = [];
  let size = 0;
  for (const file of files) {
    const last = all.at(-1);
    if (last && last.length < FILES && size + file.size <= BYTES) {
      last.push(file);
      size += file.size;
    } else {
      all.push([file]);
      size = file.size;
    }
  }
  return all;
}

export function formOf(files: File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append("files[]", file);
  return form;
}

/** Something was added: the progress is asked for now. */
export const contentCame = () => dispatchEvent(new Event("docent:content"));

/** Sends files to an agent, portion by portion; tells how far it is in bytes of all. */
export async function uploadFiles(id: number, files: File[], progress: (share: number) => void): Promise<void> {
  const all = bytesOf(files) || 1;
  let sent = 0;
  for (const part of portions(files)) {
    const size = bytesOf(part);
    await upload(`/projects/${id}`, formOf(part), (share) => progress((sent + share * size) / all));
    sent += size;
    contentCame();
  }
}
