/**
 * Sessions: runs that belong together, of one agent or of many, and what they took in all. Depends
 * on the blackboard's ports; knows no actor.
 */
package dev.colony.client.session;
