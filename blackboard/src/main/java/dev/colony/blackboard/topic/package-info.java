/** The listeners of one process to the messages of topics. */
package dev.colony.blackboard.topic;
