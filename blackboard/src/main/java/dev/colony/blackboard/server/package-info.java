/**
 * A Redis server of our own: found by the files in its state directory, started where it does not
 * run, and living on when the process that started it dies.
 *
 * <p>It knows processes, files and one socket; it knows neither Lettuce nor the blackboard's data.
 */
package dev.colony.blackboard.server;
