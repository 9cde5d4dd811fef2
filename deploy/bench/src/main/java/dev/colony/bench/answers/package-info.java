/** Whether questions about source trees find the right place, beside plainer ways to look. */
package dev.colony.bench.answers;
