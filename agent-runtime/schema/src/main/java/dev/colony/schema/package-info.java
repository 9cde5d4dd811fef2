/**
 * JSON schemas (draft 2020-12) of Java types and of methods' parameters, and the way between the
 * two: a value is held against the schema first and read second, so that the planner or the client
 * that filled it is told in plain lines what is wrong.
 *
 * <p>Depends on Jackson, on the schema generator and the validator; knows no actor.
 */
package dev.colony.schema;
