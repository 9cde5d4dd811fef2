/**
 * Games that agents play with each other: what state one begins in, who may move, which moves are
 * legal, what follows from them, and when it is over. Pure; who asks the players and waits for them
 * stands elsewhere.
 *
 * <p>Stands on the API of agents. Source: negotiation by alternating offers, Rubinstein 1982;
 * debate before a judge, Irving, Christiano and Amodei 2018.
 */
package dev.colony.library.game;
