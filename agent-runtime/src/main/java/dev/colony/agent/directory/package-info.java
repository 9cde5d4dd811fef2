/**
 * Which agents there are, where each lives and what it is made of: one blackboard entry per agent,
 * written once. Depends on the blackboard's ports; knows no actor.
 */
package dev.colony.agent.directory;
