#pragma once

#include <cstddef>

#include "../libcaf.hpp"

// Images, teams and synchronizations, as gfortran calls them from version 16 on. A team argument is
// a team, unless it is said to be a variable's address.

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

int _gfortran_caf_this_image(const caf::TeamOfImages* team);
int _gfortran_caf_num_images(const caf::TeamOfImages* team, const int* team_number);

void _gfortran_caf_sync_all(int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_sync_images(int count, const int* images, int* stat, char* message,
                               std::size_t message_bytes);

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, const int* new_index, int* stat,
                             char* message, std::size_t message_bytes);
void _gfortran_caf_change_team(caf::TeamOfImages* team, int* stat, char* message,
                               std::size_t message_bytes);
void _gfortran_caf_end_team(int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_sync_team(caf::TeamOfImages* team, int* stat, char* message,
                             std::size_t message_bytes);
caf::TeamOfImages* _gfortran_caf_get_team(const int* level);
int _gfortran_caf_team_number(const caf::TeamOfImages* team);

// These three get the address of a variable of team_type.
int _gfortran_caf_image_status(int image, caf::TeamOfImages* const* team);
void _gfortran_caf_failed_images(caf::Descriptor* result, caf::TeamOfImages* const* team,
                                 const int* kind);
void _gfortran_caf_stopped_images(caf::Descriptor* result, caf::TeamOfImages* const* team,
                                  const int* kind);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
