/** Writes the chats of the explorer's screenshots. Only the times of new chats differ between runs. */

/** @param {string} url of the server */
export async function writeChats(url) {
  await importOlder(url);
  await writeMany(url);
  await writeNovel(url);
  await create(url, { id: 'new', title: 'A chat without messages' });
  await writeTrip(url);
}

/** Imports chats with earlier dates. */
async function importOlder(url) {
  const chats = [
    ['Migrating to PostgreSQL 18', 1, 'Can I upgrade in place?', 'Yes: run VACUUM first, then pg_upgrade with --link.'],
    ['', 1, 'Can I just rename the column?', 'Only if no view depends on it.'],
    ['رحلة إلى فاس', 12, 'كم يوما تحتاج المدينة؟', 'يومان للمدينة القديمة، ويوم للجبال.'],
    ['Photosynthesis simplified', 24, 'Explain photosynthesis to a child.', 'A leaf cooks sugar with light.'],
  ];
  const exported = chats.map(([name, days, question, answer], n) => {
    const at = (seconds) => new Date(Date.now() - days * 86_400_000 + seconds * 1_000).toISOString();
    return {
      uuid: `older-${n}`,
      name,
      created_at: at(0),
      updated_at: at(60),
      chat_messages: [
        { uuid: `older-${n}-1`, text: question, sender: 'human', created_at: at(0) },
        { uuid: `older-${n}-2`, text: answer, sender: 'assistant', created_at: at(60) },
      ],
    };
  });
  const response = await fetch(new URL('/import', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(exported),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

/** A thread with a tool call, code, a table and a checkpoint; its branches; and a running answer. */
async function writeTrip(url) {
  const chatId = 'trip';
  await create(url, { id: chatId, title: 'Porto with a child' });
  const answer = (id, ...parts) => ({
    id,
    name: 'assistant',
    content: { data: { role: 'assistant', metadata: { model: 'llama3.2' }, parts } },
  });
  const text = (written) => ({ type: 'text', text: written });
  const lines = [
    [
      null,
      'packing',
      [
        ...said('trip', 'Two days in Porto, what should we see?'),
        answer('trip-2', text('Start at the Ribeira, then cross the bridge to the cellars in the evening.')),
        { id: 'trip-3', name: 'user', content: { text: 'With a child of six. What would you pack if it rains?' } },
        answer(
          'trip-4',
          {
            type: 'tool-weather.forecast',
            toolCallId: 'call-1',
            state: 'output-available',
            input: { city: 'Porto', days: 2 },
            output: { rain: 0.7 },
            durationMs: 412,
          },
          text(
            [
              'Rain on Saturday until four, then clear. Pack for the morning indoors:',
              "```js\nconst bag = ['light raincoat', 'spare socks'];\nif (forecast.rain > 0.6) bag.push('museum tickets');\n```",
              '| Day | Rain | Plan |\n| --- | --- | --- |\n| Saturday | until 16:00 | World of Discoveries |\n| Sunday | none | Tram to Foz |',
            ].join('\n\n'),
          ),
        ),
        { id: 'trip-5', name: 'user', content: { text: 'And if we only take the small bag?' } },
      ],
    ],
    [
      'trip-2',
      'by car',
      [
        ...said('car', 'And by car?'),
        answer('car-2', text('The N222 along the Douro is the finest road in the country.')),
        { id: 'car-3', name: 'user', content: { text: 'How long is that?' } },
        answer('car-4', text('Two hours to Pinhão without stops; plan half a day.')),
      ],
    ],
    [
      'car-2',
      'with a dog',
      [...said('dog', 'And with a dog?'), answer('dog-2', text('Most quintas take dogs outside.'))],
    ],
    [
      'trip-4',
      'locals',
      [...said('local', 'What do locals pack?'), answer('local-2', text('An umbrella that bends.'))],
    ],
    [
      'trip-2',
      'alone',
      [...said('alone', 'And without the child?'), answer('alone-2', text('Then Galerias at night.'))],
    ],
  ];
  for (const [parentId, branchName, messages] of lines) {
    await save(url, { chatId, messages, ...(branchName !== 'packing' && { at: { message: parentId }, branchName }) });
  }
  const main = { chatId, name: 'main' };
  await ask(url, mutation('renameBranch', 'RenameBranchInput'), { ...main, newName: 'packing' });
  await ask(url, mutation('switchBranch', 'SwitchBranchInput'), { chatId, name: 'packing' });
  const checkpoint = { chatId, name: 'before the rain', messageId: 'trip-4' };
  await ask(url, mutation('createCheckpoint', 'CreateCheckpointInput'), checkpoint);
}

async function ask(url, query, input) {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = await response.json();
  const answer = Object.values(data ?? {})[0];
  if (errors !== undefined || answer.message !== undefined) throw new Error(JSON.stringify(errors ?? answer));
  return answer;
}

export function addMember(url) {
  return ask(url, mutation('addMember', 'AddMemberInput'), { chatId: 'trip', userId: 'noor', role: 'WRITER' });
}

/** Shares branches of the trip. @returns the token */
export async function shareTrip(url) {
  const input = { chatId: 'trip', title: 'Porto with a child', sharedBy: 'Noor', branches: ['by car', 'locals'] };
  const share = mutation('createShare', 'CreateShareInput', '... on SharePayload { share { token } }');
  return (await ask(url, share, input)).share.token;
}

function mutation(name, input, selection = '') {
  return `mutation ($input: ${input}!) { ${name}(input: $input) { __typename ${selection} ... on Error { message } } }`;
}
function create(url, input) {
  return ask(url, mutation('createChat', 'CreateChatInput'), input);
}
function save(url, { parentId, ...input }) {
  const at = parentId === undefined ? {} : { at: { message: parentId } };
  return ask(url, mutation('saveMessages', 'SaveMessagesInput'), { ...input, ...at });
}

/** Turns of a question and an answer; their ids are the first one with numbers. */
function said(id, ...texts) {
  return texts.map((text, n) => ({
    id: `${id}-${n + 1}`,
    name: n % 2 === 0 ? 'user' : 'assistant',
    content: { text },
  }));
}

async function writeNovel(url) {
  const chatId = 'novel';
  await create(url, { id: chatId, title: 'A lighthouse novel' });
  const lines = [
    [
      null,
      'main',
      said('novel', 'Help me plot a novel about a lighthouse.', 'Gladly. Who keeps the light, and why there?'),
    ],
    [
      'novel-2',
      'keeper',
      said(
        'keeper',
        'An old botanist who fled the city.',
        'Then the garden on the rock is the heart of it.',
        'What grows there?',
        'Sea kale, thrift, and one rose that should not.',
      ),
    ],
    [
      'novel-2',
      'twins',
      said(
        'twins',
        'Twins who do not speak to each other.',
        'One trims the lamp, the other writes the log.',
        'What broke them apart?',
        'A ship that one saw and the other did not.',
      ),
    ],
    [
      'twins-3',
      'a letter',
      [{ id: 'letter', name: 'assistant', content: { text: 'A letter that came for both of them.' } }],
    ],
    [
      'twins-4',
      'storm',
      said(
        'storm',
        'Begin with the night of the ship.',
        'Rain first, then the bell, then nothing at all.',
        'More dread, fewer adjectives.',
        'Rain. The bell. Nothing.',
      ),
    ],
    [
      'twins-4',
      'logbook',
      said('log', 'Tell it in log entries only.', '14 March. Wind SW 9. My brother says there was no ship.'),
    ],
    ['storm-2', 'calm', said('calm', 'More calm, fewer adjectives.', 'Rain. The bell is silent. Nothing.')],
    [
      'keeper-2',
      'greenhouse',
      said('green', 'Give the garden a greenhouse.', 'Glass on a rock in the wind: somebody will have to mend it.'),
    ],
    [
      'storm-4',
      'draft two',
      said(
        'end',
        'Now the last chapter.',
        'They relight the lamp together, and the log has one hand.',
        'Keep it open whether the ship was real.',
        'The entry stays blank, and is signed by both.',
      ),
    ],
  ];
  for (const [parentId, branchName, messages] of lines) {
    await save(url, { chatId, messages, ...(parentId !== null && { at: { message: parentId }, branchName }) });
  }
  await ask(url, mutation('createCheckpoint', 'CreateCheckpointInput'), {
    chatId,
    name: 'before the storm',
    messageId: 'twins-4',
  });
}

/** A few hundred forks, for a zoomed-out view. */
async function writeMany(url) {
  const chatId = 'many';
  await create(url, { id: chatId, title: 'Three hundred tries' });
  await save(url, { chatId, messages: said('many', ...Array.from({ length: 200 }, (_, n) => `Step ${n + 1}`)) });
  for (let n = 0; n < 300; n++) {
    // Half of them on the main line, and half on other attempts.
    const parentId = n % 2 === 0 || n < 20 ? `many-${((n * 37) % 199) + 1}` : `try${(n * 7) % n}-1`;
    await save(url, {
      chatId,
      at: { message: parentId },
      branchName: `try ${n}`,
      messages: said(`try${n}`, `Try ${n}`, 'And?', 'On'),
    });
  }
  await ask(url, mutation('switchBranch', 'SwitchBranchInput'), {
    chatId,
    name: 'main',
  });
}
