// boardgame.io's own server with Connect Four, as its documentation shows: node server.js PORT [FOLDER for FlatFile; none: in memory]
const { Server, FlatFile } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const ROWS = 6;
const COLUMNS = 7;

function owner(G, row, column) {
  return row >= 0 && column >= 0 && column < COLUMNS ? G.columns[column][row] : undefined;
}

function completesFour(G, column) {
  const row = G.columns[column].length - 1;
  const player = owner(G, row, column);
  return [[0, 1], [1, 0], [1, 1], [1, -1]].some(([up, right]) => {
    let length = 1;
    for (const way of [1, -1]) {
      for (let k = way; owner(G, row + k * up, column + k * right) === player; k += way) length += 1;
    }
    return length >= 4;
  });
}

const ConnectFour = {
  name: "connect_four",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ columns: Array.from({ length: COLUMNS }, () => []), last: null }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    drop: ({ G, playerID }, column) => {
      if (!(column in G.columns) || G.columns[column].length >= ROWS) return INVALID_MOVE;
      G.columns[column].push(playerID);
      G.last = column;
    },
  },
  endIf: ({ G, ctx }) => {
    if (G.last === null) return undefined;
    if (completesFour(G, G.last)) return { winner: ctx.currentPlayer };
    return G.columns.every((column) => column.length === ROWS) ? { draw: true } : undefined;
  },
};

const [port, folder] = process.argv.slice(2);
const db = folder ? new FlatFile({ dir: folder, logging: false }) : undefined;
Server({ games: [ConnectFour], origins: [/localhost/], ...(db && { db }) }).run({ port: Number(port) });
