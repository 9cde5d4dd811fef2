/**
 * Why an agent is suspended, and what has to happen before it goes on: data that stands in the
 * journal, in messages and on the blackboard alike. Pure; nothing here waits for anything.
 */
package dev.colony.agent.suspension;
