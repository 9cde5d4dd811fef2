/**
 * Actions: how they are described, chosen, executed and answered for. The records here are plain
 * data; {@link dev.colony.agent.author.ActionDispatcher} is the port behind which capabilities'
 * methods are executed.
 */
package dev.colony.agent.action;
