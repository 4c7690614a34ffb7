import { toasts } from "../lib/state";

/** What was just done, for some seconds, perhaps with a way back. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map((toast) => (
      <div class="toast fade" key={toast.id}>
        <span>{toast.text}</span>
        {toast.action && (
          <button
            onClick={() => {
              toasts.value = toasts.value.filter((other) => other !== toast);
              toast.action!.run();
            }}
          >
            {toast.action.label}
          </button>
        )}
      </div>
    ))}
  </div>
);
