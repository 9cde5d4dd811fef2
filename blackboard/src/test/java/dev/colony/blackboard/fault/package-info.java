/**
 * What holds while connections break and servers die, and how a loss shows where one can happen.
 */
package dev.colony.blackboard.fault;
