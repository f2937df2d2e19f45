import { parse } from 'toml';
import { describe, expect, it } from 'vitest';
import { TomlRenderer } from '../../src/renderers/toml-renderer.js';
import { SAMPLE } from './sample-fragments.js';

const renderer = new TomlRenderer();

describe('TOML', () => {
  it('has sections as tables, sections of one name as an array of tables, after all other values', () => {
    expect(renderer.render(SAMPLE)).toBe(`role = "You are a careful assistant."
hint = [ "Be concise.", "Ask when unsure: <b> & \\"c\\" are *text*.\\nSecond line." ]
tags = [ "sql", "audit", 3, true ]
steps = [ "read", [ "plan", "write" ], { check = [ "types", "tests" ] }, { stop = "when done" } ]

[database]
hint = "PostgreSQL 18"
replicas = 2

[database.constraints]
hint = [ "No DELETE without audit", "UTC only" ]

[limits]
"max tokens" = 4096
temperature = 0.25
stream = false
stop = [ "END", "#" ]

[[users]]
id = 1
name = "Ada"
admin = true

[[users]]
id = 2
name = "Bob"
admin = false`);
  });

  it('has an array of tables for siblings that are sections', () => {
    const user = (name: string) => ({
      name: 'user',
      data: [
        { name: 'name', data: name },
        { name: 'at', data: { x: 1 } },
      ],
    });
    expect(renderer.render([user('Ada'), user('Bob')])).toBe(`[[user]]
name = "Ada"

[user.at]
x = 1

[[user]]
name = "Bob"

[user.at]
x = 1`);
  });

  it('quotes every text, and names that are not bare keys', () => {
    const fragments = [
      { name: 'a.b', data: { 'say "x"': '\x1b\x7f\0', '': 'C:\\' } },
      { name: 'größe', data: 'a\r\nb' },
    ];
    expect(renderer.render(fragments)).toBe(String.raw`"größe" = "a\r\nb"

["a.b"]
"say \"x\"" = "\u001b\u007f\u0000"
"" = "C:\\"`);
  });

  it.each([
    0,
    1,
    -1,
    0.1,
    1e21,
    1e-7,
    1e300,
    5e-324,
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    2 ** 64,
    Number.MAX_VALUE,
  ])('preserves the number %d', (number) => {
    expect(parse(renderer.render([{ name: 'n', data: [number, { n: number }] }]))).toEqual({
      n: [number, { n: number }],
    });
  });

  it('distinguishes texts from values', () => {
    const values = ['1', 1, 'true', true, 'inf', '1979-05-27', ''];
    expect(parse(renderer.render([{ name: 'values', data: values }]))).toEqual({ values });
  });
});
