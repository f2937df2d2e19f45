import { useEffect, useRef, useState } from 'react';

/** An import changes the chats several times per second. */
const INTERVAL_MS = 1_000;

/** A value that changes at most once in an interval, for parts that read or follow something for each value. */
export function usePaced<Value>(value: Value): Value {
  const [shown, setShown] = useState(value);
  const changedAt = useRef(0);
  useEffect(() => {
    const change = () => {
      changedAt.current = Date.now();
      setShown(value);
    };
    const timer = setTimeout(change, changedAt.current + INTERVAL_MS - Date.now());
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}
