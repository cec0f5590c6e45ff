/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OWN_FILE_H
#define OWN_FILE_H

/* The whole path of this program's file; /proc/self/exe where the kernel does not tell. */
const char *own_file(void);

#endif
